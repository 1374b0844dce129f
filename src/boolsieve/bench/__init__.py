"""Benchmarks: what users would pick instead, and the papers' experiments."""
