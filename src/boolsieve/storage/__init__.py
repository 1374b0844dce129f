"""Files on disk that survive: replaced as a whole, journals, the lock of the one who writes."""
