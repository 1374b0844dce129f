// A flat, typed, growable array that either owns its memory or looks at memory that someone else keeps alive
// (a mapped file, a pickled block). All lasting state of an index lives in such buffers, linked by indices and never
// by pointers, so that saving, mapping, copying and sizing are one loop over BufferBase.
//
//   owned:   data_ from malloc, capacity_ >= size_
//   mapped:  data_ belongs to another, capacity_ == 0; the first write copies it (copy on write)
//
// Growth is by a quarter, because memory a clause is a promise; realloc moves large blocks by remapping pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace boolsieve {

#ifdef BOOLSIEVE_DEBUG
#define BOOLSIEVE_CHECK(condition)                                                                                     \
    do {                                                                                                               \
        if (!(condition)) throw std::out_of_range("boolsieve: " #condition);                                           \
    } while (0)
#else
#define BOOLSIEVE_CHECK(condition) ((void)0)
#endif

class BufferBase {
  public:
    BufferBase(size_t item_size, char type_code) noexcept : item_size_(item_size), type_code_(type_code) {}
    BufferBase(const BufferBase&) = delete;
    BufferBase& operator=(const BufferBase&) = delete;
    ~BufferBase() { release(); }

    size_t size() const noexcept { return size_; }
    size_t item_size() const noexcept { return item_size_; }
    char type_code() const noexcept { return type_code_; }  // NumPy's kind: 'u', 'i' or 'f'
    const void* raw() const noexcept { return data_; }
    bool is_mapped() const noexcept { return size_ && !capacity_; }
    // What the buffer takes of memory, slack included; a mapped one counts its length.
    size_t bytes() const noexcept { return (capacity_ ? capacity_ : size_) * item_size_; }

    void look_at(const void* data, size_t size) noexcept {  // the caller keeps the memory alive
        release();
        data_ = const_cast<void*>(data);
        size_ = size;
    }
    void assign_raw(const void* data, size_t size) {  // a private copy
        release();
        grow_to(size);
        if (size) std::memcpy(data_, data, size * item_size_);
        size_ = size;
    }
    void clear() noexcept { release(); }

  protected:
    // Single inserts after a bulk load find room for this part more: to move the buffers of a million clauses takes
    // 8 ms, which is to be shared by thousands of inserts and not paid by the first.
    static constexpr size_t BULK_SLACK = 64;

    void release() noexcept {
        if (capacity_) std::free(data_);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }
    void grow_to(size_t capacity) {
        if (capacity <= capacity_) return;
        void* fresh = std::realloc(capacity_ ? data_ : nullptr, capacity * item_size_);
        if (!fresh) throw std::bad_alloc();
        if (!capacity_ && size_) std::memcpy(fresh, data_, size_ * item_size_);  // was mapped
        data_ = fresh;
        capacity_ = capacity;
    }
    void make_room(size_t more) {
        size_t need = size_ + more;
        if (need > capacity_) {
            size_t step = size_ + size_ / 4 + 8;
            grow_to(need > step ? need + need / BULK_SLACK : step);
        }
    }

    void* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
    size_t item_size_;
    char type_code_;
};

template <class T>
class Buffer : public BufferBase {
    static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain data");

  public:
    Buffer() noexcept : BufferBase(sizeof(T), code()) {}
    Buffer(Buffer&& other) noexcept : Buffer() { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }

    const T* data() const noexcept { return static_cast<const T*>(data_); }
    const T& operator[](size_t i) const {
        BOOLSIEVE_CHECK(i < size_);
        return data()[i];
    }
    const T& back() const { return (*this)[size_ - 1]; }
    T* writable() {  // everything below goes through here: a mapped buffer becomes a private copy
        if (!capacity_) grow_to(size_ ? size_ : 1);
        return static_cast<T*>(data_);
    }
    void set(size_t i, T value) {
        BOOLSIEVE_CHECK(i < size_);
        writable()[i] = value;
    }
    void push_back(T value) {
        make_room(1);
        static_cast<T*>(data_)[size_++] = value;
    }
    void append(const T* values, size_t n) {
        make_room(n);
        if (n) std::memcpy(static_cast<T*>(data_) + size_, values, n * sizeof(T));
        size_ += n;
    }
    void resize(size_t n, T fill = T()) {
        if (n > size_) {
            make_room(n - size_);
            for (size_t i = size_; i < n; ++i) static_cast<T*>(data_)[i] = fill;
        }
        size_ = n;
    }
    void assign(size_t n, T fill) {
        size_ = 0;
        resize(n, fill);
    }
    void reserve_more(size_t n) { make_room(n); }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    static constexpr char code() noexcept {
        if (std::is_floating_point_v<T>) return 'f';
        return std::is_signed_v<T> ? 'i' : 'u';
    }
};

}  // namespace boolsieve
