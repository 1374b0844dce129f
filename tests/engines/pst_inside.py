"""Looks into the buffers of PSTBloom and PSTHash."""

from __future__ import annotations

from typing import Any

import boolsieve as bs

NONE = 0xFFFFFFFF


class Inside:
    """Spaces are numbered from 1 in each tree, as in the paper; attributes in order of their first use."""

    def __init__(self, index: bs.Index) -> None:
        self.buffers: dict[str, Any] = {
            name[4:]: array.tolist() for name, array in index.buffers().items() if name.startswith("pst.")
        }
        self.place: dict[int, tuple[int, int]] = {}  # of a space: attribute, number
        self.spaces: dict[int, list[int]] = {}  # by attribute
        b = self.buffers
        for attribute, tree in enumerate(b["head"]):
            while tree != NONE:
                space = b["trees.first"][tree]
                while space != NONE:
                    found = self.spaces.setdefault(attribute, [])
                    found.append(space)
                    self.place[space] = (attribute, len(found))
                    space = b["trees.next"][space]
                tree = b["tree_next"][tree]

    def records(self, which: int) -> list[list[int]]:
        """Tail, expression, attribute and flags, signature of each live record of a list."""
        b = self.buffers
        begin = b["records.begin"][which]
        words = b["records.words"]
        found = [words[4 * i : 4 * i + 4] for i in range(begin, begin + b["records.length"][which])]
        return [record for record in found if record[3]]

    def lists(self) -> dict[tuple[tuple[int, int], ...], list[int]]:
        """The expressions by the places of the spaces that they are listed at."""
        b = self.buffers
        found = {(self.place[space],): which for space, which in enumerate(b["list_of"]) if which != NONE}
        for space, which_map in enumerate(b["joined"]):
            if which_map == NONE or not b["maps.used"][which_map]:
                continue
            begin, bits = divmod(b["maps.place"][which_map], 64)
            for cell in b["maps.cells"][begin : begin + 2**bits]:
                if cell != 2**64 - 1:
                    places = sorted((self.place[space], self.place[cell >> 32]))
                    found[tuple(places)] = cell & NONE
        lists = {places: [record[1] for record in self.records(which)] for places, which in found.items()}
        return {places: slots for places, slots in lists.items() if slots}

    @property
    def record_count(self) -> int:
        return sum(len(self.records(i)) for i in range(len(self.buffers["records.begin"])))
