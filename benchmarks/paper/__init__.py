"""The tables of the TREE-G paper, measured again: one command a table, one file of results.

python -m benchmarks.paper --table graphs --only MUTAG,PTC_MR --minutes 30
python -m benchmarks.paper --merge rows-of-another-machine.csv
python -m benchmarks.paper --write-docs

Folds, seeds, metrics, workers and the file of results are those of `benchmarks.accuracy`; here is
what belongs to the paper: which sets, methods and seeds a table has, what was published, and the
page docs/results.md.

    tables  ─►  command  ─►  benchmarks.accuracy  ─►  results/paper.csv  ─►  page, plots
    explanations ─┘                                   published.csv  ─────────┘
"""
