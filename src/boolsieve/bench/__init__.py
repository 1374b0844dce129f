"""The experiments of the papers, run over all registered engines: sweeps, records, pictures and a report."""
