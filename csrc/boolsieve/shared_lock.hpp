// Many readers or one writer; a waiting writer holds new readers back, so that a stream of readers cannot starve it.
//
// Python code may run in the middle of a read or a write (a stream's generator, a finalizer), and may use the index
// again. So a thread that reads may read once more, past a waiting writer; what a thread would wait for itself to
// finish is refused.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace boolsieve {

class SharedLock {
  public:
    bool try_read() {
        std::lock_guard<std::mutex> guard(mutex_);
        if (!may_read()) return false;
        readers_.push_back(std::this_thread::get_id());
        return true;
    }
    // False if this thread writes.
    bool read() {
        std::unique_lock<std::mutex> guard(mutex_);
        if (writer_ == std::this_thread::get_id()) return false;
        changed_.wait(guard, [this] { return may_read(); });
        readers_.push_back(std::this_thread::get_id());
        return true;
    }
    void end_read() {
        std::lock_guard<std::mutex> guard(mutex_);
        *std::find(readers_.begin(), readers_.end(), std::this_thread::get_id()) = readers_.back();
        readers_.pop_back();
        if (readers_.empty() && waiting_) changed_.notify_all();
    }
    bool try_write() {
        std::lock_guard<std::mutex> guard(mutex_);
        if (!may_write()) return false;
        writer_ = std::this_thread::get_id();
        return true;
    }
    // False if this thread reads or writes.
    bool write() {
        std::unique_lock<std::mutex> guard(mutex_);
        if (writer_ == std::this_thread::get_id() || reads()) return false;
        ++waiting_;
        changed_.wait(guard, [this] { return may_write(); });
        --waiting_;
        writer_ = std::this_thread::get_id();
        return true;
    }
    void end_write() {
        std::lock_guard<std::mutex> guard(mutex_);
        writer_ = std::thread::id();
        changed_.notify_all();
    }

  private:
    bool reads() const { return std::count(readers_.begin(), readers_.end(), std::this_thread::get_id()) > 0; }
    bool may_read() const { return writer_ == std::thread::id() && (!waiting_ || reads()); }
    bool may_write() const { return writer_ == std::thread::id() && readers_.empty(); }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::thread::id> readers_;
    std::thread::id writer_;  // of no thread: nobody writes
    int waiting_ = 0;
};

}  // namespace boolsieve
