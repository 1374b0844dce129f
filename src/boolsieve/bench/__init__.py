"""Benchmarks: the papers' experiments over all registered engines, and what users would pick instead."""
