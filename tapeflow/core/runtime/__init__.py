"""What Python and the machine are asked for: threads, locks, interrupts, memory, reference counts."""
