"""What must hold when things go wrong: crashes, power cuts, full and damaged disks, two writers."""
