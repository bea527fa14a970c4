"""How well each method predicts, and how long it takes: one command, one file of results.

python -m benchmarks.accuracy --sets MUTAG,PTC_MR --methods boosting,lightgbm --out results.csv
python -m benchmarks.accuracy --table results.csv

    problems  ─►  command  ─►  pool  ─►  measuring  ─►  results  ─►  table
    methods/  ─────┘         (workers)  (one task)     (one row)   (Markdown)
"""
