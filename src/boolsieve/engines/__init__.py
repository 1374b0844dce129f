"""The engines by name. Adding one is a line in the table below; everything else reads it from here."""

from __future__ import annotations

from boolsieve.engines.base import Engine
from boolsieve.engines.betree import BETree
from boolsieve.engines.cluster import Cluster
from boolsieve.engines.dexin import Dexin
from boolsieve.engines.gryphon import Gryphon
from boolsieve.engines.htree import HTree
from boolsieve.engines.hybrid import Hybrid
from boolsieve.engines.interval import Interval
from boolsieve.engines.intervaltree import IntervalTree
from boolsieve.engines.kindex import KIndex
from boolsieve.engines.opindex import OpIndex
from boolsieve.engines.propagation import Propagation
from boolsieve.engines.pstbloom import PSTBloom
from boolsieve.engines.psthash import PSTHash
from boolsieve.engines.rein import Rein
from boolsieve.engines.scan import Scan
from boolsieve.engines.segmenttree import SegmentTree
from boolsieve.engines.sieve import Sieve
from boolsieve.engines.sift import Sift
from boolsieve.engines.tama import Tama

_REGISTRY: dict[str, type[Engine]] = {
    "scan": Scan,
    "sift": Sift,
    "kindex": KIndex,
    "propagation": Propagation,
    "gryphon": Gryphon,
    "opindex": OpIndex,
    "betree": BETree,
    "dexin": Dexin,
    "rein": Rein,
    "tama": Tama,
    "htree": HTree,
    "pstbloom": PSTBloom,
    "psthash": PSTHash,
    "cluster": Cluster,
    "interval": Interval,
    "hybrid": Hybrid,
    "segmenttree": SegmentTree,
    "intervaltree": IntervalTree,
    "sieve": Sieve,
}
_DEFAULT = "sieve"


def names() -> list[str]:
    """The names that `bs.Index(engine=...)` takes, besides "auto".

    >>> "scan" in names()
    True
    """
    return list(_REGISTRY)


def get(name: str) -> type[Engine]:
    """The class of an engine."""
    if name not in _REGISTRY:
        raise ValueError(f"there is no engine {name!r}; the engines are auto, {', '.join(_REGISTRY)}")
    return _REGISTRY[name]


def create(engine: str | Engine) -> Engine:
    """A new engine by its name, or one with the options of the engine that is given."""
    if isinstance(engine, Engine):
        return type(engine)(**engine.options())
    if not isinstance(engine, str):
        raise TypeError(f"an engine is a name or an object of boolsieve.engines, not {type(engine).__name__}")
    return get(_DEFAULT if engine == "auto" else engine)()


def name_of(engine: Engine) -> str:
    """The registered name of an engine."""
    return next(name for name, kind in _REGISTRY.items() if kind is type(engine))


__all__ = [
    "BETree",
    "Cluster",
    "Dexin",
    "Engine",
    "Gryphon",
    "HTree",
    "Hybrid",
    "Interval",
    "IntervalTree",
    "KIndex",
    "OpIndex",
    "PSTBloom",
    "PSTHash",
    "Propagation",
    "Rein",
    "Scan",
    "SegmentTree",
    "Sieve",
    "Sift",
    "Tama",
    "create",
    "get",
    "name_of",
    "names",
]
