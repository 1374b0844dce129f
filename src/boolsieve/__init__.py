"""boolsieve"""
