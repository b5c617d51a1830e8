"""calibration_texts.py OUT [--connections N]: downloads the texts on which TensorRT-LLM's tools
calibrate unless they are given others: the articles of cnn_dailymail 3.0.0, split train, at one
commit.

The package `datasets` reads OUT/ccdv/cnn_dailymail by its path, without a hub; the tools recognise
these texts by `cnn_dailymail` or `ccdv/cnn_dailymail` in the path. A tool that takes no path finds
both names in OUT if it is started there.
"""
import argparse
from pathlib import Path

import hub_file
from checkpoint_files import Wanted
from download import Job, bring, number_of_connections, parts_folder
from file_names import matches
from resolve import hub_of
from stage import Failed, run

SOURCE = "hf:datasets/abisee/cnn_dailymail"
COMMIT = "96df5e686bee6baa90b8bee7c28b81fa3fa6223d"
FILES = "3.0.0/train-*.parquet"
NAME = "ccdv/cnn_dailymail"
# By it `datasets` knows the configuration and the split of the files.
README = f"""---
configs:
- config_name: 3.0.0
  data_files:
  - split: train
    path: {FILES}
---
{SOURCE} at {COMMIT}
"""


def main(arguments):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("out", type=Path)
    parser.add_argument("--connections", type=number_of_connections, default=4)
    given = parser.parse_args(arguments)
    hub, folder = hub_of(SOURCE), given.out / NAME
    folder.mkdir(parents=True, exist_ok=True)
    listed = hub_file.files_of(hub, COMMIT, with_folders=True)
    files = [file for name, file in listed.items() if matches(name, [FILES])]
    if not files:
        raise Failed(f"{SOURCE} has no {FILES} at {COMMIT}; is HF_ENDPOINT a hub?")
    bring(hub, COMMIT, Job(folder, parts_folder(given.out), given.connections, Wanted()), files)
    (folder / "README.md").write_text(README, encoding="utf-8")
    link = given.out / Path(NAME).name
    if not link.is_symlink():
        link.symlink_to(NAME)


if __name__ == "__main__":
    run(main)
