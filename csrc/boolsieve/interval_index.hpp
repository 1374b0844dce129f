// The trees over intervals behind one interface, for Python.
#pragma once

#include <memory>

#include "buffers.hpp"
#include "cluster_tree.hpp"
#include "elementary_tree.hpp"
#include "interval_tree.hpp"
#include "intervals.hpp"
#include "segment_tree.hpp"

namespace boolsieve {

struct IntervalIndex {
    virtual ~IntervalIndex() = default;
    virtual size_t size() const = 0;
    virtual void add(const Key* lows, const Key* highs, const uint32_t* ids, size_t n) = 0;
    virtual void settle() = 0;
    virtual bool remove(Key low, Key high, uint32_t id) = 0;
    virtual void stab(Key key, std::vector<uint32_t>& ids) const = 0;
    virtual size_t stab_count(const Key* keys, size_t n) const = 0;
    virtual void trace(Key key, std::vector<Key>& compared) const = 0;  // low and high of each, in turn
    virtual std::unique_ptr<IntervalIndex> copy() = 0;
    virtual size_t bytes() = 0;
    virtual std::string check() const = 0;
};

template <class Bank>
class IntervalIndexOf : public IntervalIndex {
  public:
    explicit IntervalIndexOf(const TreeOptions& options = TreeOptions()) { levels_.options = options; }

    size_t size() const override { return levels_.size(); }
    void add(const Key* lows, const Key* highs, const uint32_t* ids, size_t n) override {
        levels_.add(lows, highs, ids, n);
    }
    void settle() override { levels_.settle(); }
    bool remove(Key low, Key high, uint32_t id) override { return levels_.remove(low, high, id); }
    void stab(Key key, std::vector<uint32_t>& ids) const override {
        ProfileBits bits;
        levels_.stab(key, bits, [&](uint32_t id) { ids.push_back(id); }, [](Key, Key) {});
    }
    size_t stab_count(const Key* keys, size_t n) const override {
        ProfileBits bits;
        size_t total = 0;
        for (size_t i = 0; i < n; ++i) levels_.stab(keys[i], bits, [&](uint32_t) { ++total; }, [](Key, Key) {});
        return total;
    }
    void trace(Key key, std::vector<Key>& compared) const override {
        ProfileBits bits;
        levels_.stab(
            key, bits, [](uint32_t) {},
            [&](Key low, Key high) {
                compared.push_back(low);
                compared.push_back(high);
            });
    }
    std::unique_ptr<IntervalIndex> copy() override {
        auto other = std::make_unique<IntervalIndexOf>(levels_.options);
        copy_buffers(levels_, other->levels_);
        other->levels_.recount();
        return other;
    }
    size_t bytes() override { return total_bytes(levels_); }
    std::string check() const override { return levels_.check(); }

  private:
    IntervalLevels<Bank> levels_;
};

}  // namespace boolsieve
