import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Nodes = NDArray[np.int32]
WideIndices = NDArray[np.int64]
Neighbors = tuple[Nodes, Nodes, Hashes, WideIndices, WideIndices, WideIndices, WideIndices]

def hash_along(
    own: Hashes, cyclic: Hashes, edge: WideIndices, first: WideIndices, head: Nodes, fact: Hashes
) -> tuple[Hashes, Nodes]: ...
def pair_neighbors(
    left: Nodes,
    right: Nodes,
    left_graph: Neighbors,
    right_graph: Neighbors,
    left_key: Hashes,
    right_key: Hashes,
    *,
    is_ordered: bool,
) -> None: ...
