"""Worker processes read the data, and the batches and their order stay the same."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset
from transformers import Trainer, TrainingArguments

from snippets.train_one import data_loading as snippet

from _tiny import run, tiny_dataset, tiny_model


def test_the_workers_read_all_rows_and_the_main_process_none() -> None:
    dataset = snippet.CountedDataset()
    list(snippet.loader(dataset))
    assert dataset.reads.tolist() == [8, 8, 0]


def test_without_workers_the_main_process_reads_all_rows() -> None:
    dataset = snippet.CountedDataset()
    list(snippet.loader_without_workers(dataset))
    assert dataset.reads.tolist() == [0, 0, 16]


def test_two_epochs_give_the_same_batches_as_without_workers() -> None:
    assert snippet.same_batches()


def test_the_epochs_differ_from_each_other() -> None:
    loader = snippet.loader(snippet.CountedDataset())
    first, second = (torch.cat([batch["input_ids"] for batch in loader]) for _ in range(2))
    assert not torch.equal(first, second)
    assert torch.equal(first.sort(dim=0).values, second.sort(dim=0).values)


def test_the_workers_live_on_from_one_epoch_to_the_next() -> None:
    loader = snippet.loader(snippet.CountedDataset())
    list(loader)
    first = [worker.pid for worker in loader._iterator._workers]
    list(loader)
    assert [worker.pid for worker in loader._iterator._workers] == first


def test_with_the_loaders_own_generator_persistent_workers_change_the_second_epoch() -> None:
    def epochs(**options: object) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        loader = DataLoader(snippet.CountedDataset(), batch_size=4, shuffle=True, generator=generator, **options)
        return [torch.cat([batch["input_ids"] for batch in loader]) for _ in range(2)]

    ours, theirs = epochs(num_workers=2, persistent_workers=True), epochs()
    assert torch.equal(ours[0], theirs[0])
    assert not torch.equal(ours[1], theirs[1])


def trained(output_dir: Path, workers: int) -> tuple[snippet.CountedDataset, dict[str, torch.Tensor]]:
    args = replace(
        snippet.training_arguments(str(output_dir)),
        dataloader_num_workers=workers,
        dataloader_persistent_workers=workers > 0,
    )
    dataset, model = snippet.CountedDataset(), tiny_model()
    run(Trainer(model, args, train_dataset=dataset), steps=6)
    return dataset, {name: parameter.detach() for name, parameter in model.named_parameters()}


def test_trainer_reads_by_workers_and_learns_the_same(tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    assert (args.dataloader_num_workers, args.dataloader_persistent_workers) == (2, True)
    (with_workers, ours), (without, theirs) = trained(tmp_path, workers=2), trained(tmp_path, workers=0)
    assert with_workers.reads[:2].min() > 0
    assert with_workers.reads[2] == 0
    assert without.reads[:2].max() == 0
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


class Stream(IterableDataset):
    """Four rows, in order."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(tiny_dataset(rows=4))


@pytest.mark.claim("train_speed#data-loading", "torch/utils/data/dataloader.py",
                   "transformers/trainer.py::Trainer.get_train_dataloader")
@pytest.mark.parametrize(("workers", "times"), [(0, 1), (2, 2)])
def test_each_worker_reads_the_whole_of_an_iterable_dataset(workers: int, times: int, tmp_path: Path) -> None:
    args = replace(
        snippet.training_arguments(str(tmp_path)),
        dataloader_num_workers=workers, dataloader_persistent_workers=False, max_steps=2,
    )  # fmt: skip
    batches = Trainer(tiny_model(), args, train_dataset=Stream()).get_train_dataloader()
    assert sum(len(batch["input_ids"]) for batch in batches) == 4 * times


@pytest.mark.needs("cuda")
def test_batches_are_pinned() -> None:
    assert next(iter(snippet.loader(snippet.CountedDataset())))["input_ids"].is_pinned()


def predicted(output_dir: Path, name: str, value: object, after: object = None) -> list[int]:
    """Which of five samples of 4, 8, 6, 10 and 5 tokens `predict` returns, by their lengths, one after another."""
    rows = [
        {key: row[key][:length] for key in row}
        for row, length in zip(tiny_dataset(), (4, 8, 6, 10, 5), strict=False)
    ]
    args = TrainingArguments(str(output_dir), per_device_eval_batch_size=2, **{name: value})
    trainer = Trainer(tiny_model(), args, data_collator=padded)
    if after is not None:
        setattr(trainer.args, name, after)
    return (trainer.predict(rows).label_ids != -100).sum(-1).tolist()


def padded(rows: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    fill = {"input_ids": 0, "labels": -100}
    return {
        key: torch.nn.utils.rnn.pad_sequence([row[key] for row in rows], batch_first=True, padding_value=fill[key])
        for key in fill
    }


@pytest.mark.claim("packing#packing", "transformers/trainer.py::Trainer._get_eval_sampler")
def test_grouping_by_length_changes_the_order_of_predictions(tmp_path: Path) -> None:
    name = "train_sampling_strategy"
    grouped = predicted(tmp_path, name, "group_by_length")
    assert grouped != [4, 8, 6, 10, 5]
    assert sorted(grouped) == [4, 5, 6, 8, 10]
    assert predicted(tmp_path, name, "group_by_length", after="random") == [4, 8, 6, 10, 5]


@pytest.mark.claim("train_speed#torch-compile", "transformers/trainer.py::Trainer._get_dataloader")
def test_dropping_the_last_batch_drops_predictions_too(tmp_path: Path) -> None:
    name = "dataloader_drop_last"
    assert predicted(tmp_path, name, value=True) == [4, 8, 6, 10]
    assert predicted(tmp_path, name, value=True, after=False) == [4, 8, 6, 10, 5]
