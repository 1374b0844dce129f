// Many readers or one writer; a waiting writer holds new readers back, so that a stream of readers cannot starve it.
#pragma once

#include <condition_variable>
#include <mutex>

namespace boolsieve {

class SharedLock {
  public:
    bool try_read() {
        std::lock_guard<std::mutex> guard(mutex_);
        if (writing_ || waiting_) return false;
        ++readers_;
        return true;
    }
    void read() {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [this] { return !writing_ && !waiting_; });
        ++readers_;
    }
    void end_read() {
        std::lock_guard<std::mutex> guard(mutex_);
        if (--readers_ == 0 && waiting_) changed_.notify_all();
    }
    bool try_write() {
        std::lock_guard<std::mutex> guard(mutex_);
        if (writing_ || readers_) return false;
        writing_ = true;
        return true;
    }
    void write() {
        std::unique_lock<std::mutex> guard(mutex_);
        ++waiting_;
        changed_.wait(guard, [this] { return !writing_ && !readers_; });
        --waiting_;
        writing_ = true;
    }
    void end_write() {
        std::lock_guard<std::mutex> guard(mutex_);
        writing_ = false;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int readers_ = 0, waiting_ = 0;
    bool writing_ = false;
};

}  // namespace boolsieve
