// SPDX-License-Identifier: Apache-2.0

/** The column whose head is dragged, and the one that it is over. */
class DraggedColumn {
  id = $state<string | null>(null);
  over = $state<string | null>(null);

  end(): void {
    this.id = this.over = null;
  }
}

export const dragged = new DraggedColumn();
