import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Nodes = NDArray[np.int32]
Places = NDArray[np.int64]
Neighbors = tuple[Nodes, Nodes, Hashes, Places, Places, Places, Places]

def hash_along(
    own: Hashes, cyclic: Hashes, edge: Places, first: Places, head: Nodes, fact: Hashes
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
