"""A library in memory: lists, dictionaries and loops that keep the promises of `protocols.Stores`.

For small libraries, and to check other implementations against: a call may look at every paper and
every citation of the library.
"""

from citewise.memory.stores import MemoryStores

__all__ = ["MemoryStores"]
