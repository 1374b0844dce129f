"""Ranking of one event's matches; csrc/boolsieve/ranking.hpp tells what a score is."""

from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Event, Ranges
from boolsieve.encoding.store cimport Dictionary, Store


cdef extern from "boolsieve/ranking.hpp" namespace "boolsieve" nogil:
    cdef struct Ranked:
        double score
        uint32_t slot

    cdef cppclass Ranking:
        vector[Ranked] best
        void open(const Store& store, const Dictionary& dictionary, size_t k) noexcept
        void weigh(uint32_t name, double weight) except +
        void close() noexcept
        double score(uint32_t slot, const Event& event) except +
        double score(uint32_t slot, Event& event, Ranges& ranges) except +
        cbool offer(double score, uint32_t slot) except +
        void sort() noexcept
