class RegexSets: pass
