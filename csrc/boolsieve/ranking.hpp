// The k best of the expressions that an event satisfies.
//
// The score of an expression is its weight plus the largest, over its clauses that the event satisfies, of the sum of
// its attribute weights over the names that the clause needs, each times the event's weight of that name. Weights are
// not negative, so neither are scores, and a score grows with each of its parts: that is what upper bounds rest on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clauses.hpp"
#include "dictionary.hpp"
#include "event.hpp"
#include "ranges.hpp"
#include "store.hpp"

namespace boolsieve {

// Whether a clause can be satisfied only by events that have a value under the name.
inline bool clause_needs(const Clauses& c, const uint32_t* attribute_name, uint32_t clause, uint32_t name) noexcept {
    for (uint32_t p = c.begin[clause]; p < c.begin[clause + 1]; ++p)
        if ((c.head[p] & KIND_MASK) != PREDICATE_ABSENT && attribute_name[c.head[p] >> KIND_BITS] == name) return true;
    return false;
}

struct Ranked {
    double score;
    uint32_t slot;
    bool operator<(const Ranked& other) const noexcept {  // is it better: ties go to who came first
        return score > other.score || (score == other.score && slot < other.slot);
    }
};

// One thread's ranking of one event. Between two events all event weights are 1.
class Ranking {
  public:
    void open(const Store& store, const Dictionary& dictionary, size_t k) {
        store_ = &store;
        clauses_ = store.clauses(dictionary.attribute_count(), &dictionary.strings);
        attribute_name_ = dictionary.attribute_name.data();
        names_ = dictionary.names.size();
        k_ = k;
        highest_weight_ = 1;
    }
    void weigh(uint32_t name, double weight) {
        if (event_weight_.size() < names_) event_weight_.resize(names_, 1.0);
        weighed_.push_back(name);
        event_weight_[name] = weight;
        highest_weight_ = std::max(highest_weight_, weight);
    }
    void close() noexcept {
        for (uint32_t name : weighed_) event_weight_[name] = 1;
        weighed_.clear();
        best.clear();
    }

    double event_weight(uint32_t name) const noexcept { return weighed_.empty() ? 1 : event_weight_[name]; }
    double highest_weight() const noexcept { return highest_weight_; }  // at least 1

    // The score through one clause, satisfied or not.
    double clause_score(uint32_t clause) const {
        uint32_t slot = clauses_.owner[clause];
        return store_->weight(slot) + needed_weight(clause, slot);
    }
    // The score of an expression of which one clause at least holds.
    double score(uint32_t slot, const Event& event) const {
        return score_by(slot, [&](uint32_t clause) { return clause_holds(clauses_, clause, event); });
    }
    double score(uint32_t slot, Event& event, Ranges& ranges) const {
        if (ranges.empty()) return score(slot, event);
        return score_by(slot, [&](uint32_t clause) { return ranges.clause_holds(clauses_, clause, event); });
    }

    // What is below this cannot be among the best any more; what equals it still can, by its place in the order.
    double threshold() const noexcept { return best.size() < k_ ? -1 : best.front().score; }
    // Whether the threshold changed. A slot may be offered once.
    bool offer(double score, uint32_t slot) {
        Ranked fresh{score, slot};
        if (best.size() == k_) {
            if (!(fresh < best.front())) return false;
            std::pop_heap(best.begin(), best.end());
            best.back() = fresh;
        } else {
            best.push_back(fresh);
        }
        std::push_heap(best.begin(), best.end());
        return best.size() == k_;
    }
    void sort() { std::sort_heap(best.begin(), best.end()); }

    std::vector<Ranked> best;  // a heap with the worst in front; after sort() from best to worst

  private:
    template <class Holds>
    double score_by(uint32_t slot, Holds holds) const {
        double most = 0;
        if (store_->weights(slot).count) {
            uint32_t first = store_->slot_clause[slot], end = first + store_->slot_clauses[slot];
            for (uint32_t clause = first; clause < end; ++clause)
                if (end - first == 1 || holds(clause)) most = std::max(most, needed_weight(clause, slot));
        }
        return store_->weight(slot) + most;
    }
    double needed_weight(uint32_t clause, uint32_t slot) const {
        double sum = 0;
        SlotWeights weights = store_->weights(slot);
        for (uint32_t i = 0; i < weights.count; ++i)
            if (clause_needs(clauses_, attribute_name_, clause, weights.names[i]))
                sum += weights.values[i] * event_weight(weights.names[i]);
        return sum;
    }

    const Store* store_ = nullptr;
    Clauses clauses_{};
    const uint32_t* attribute_name_ = nullptr;
    size_t names_ = 0, k_ = 0;
    std::vector<double> event_weight_;  // by name
    std::vector<uint32_t> weighed_;
    double highest_weight_ = 1;
};

}  // namespace boolsieve
