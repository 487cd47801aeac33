"""What passes from one trial to the next, what is drawn anew, and what is left when a trial fails."""

from pathlib import Path

import optuna
import pytest
import torch
from _hpo import quiet_arguments, tiny_dataset, tiny_model, tiny_trainer
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from snippets.hpo import optuna_search as snippet

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.claim("hpo_train#best", "transformers/trainer.py::Trainer.train")
@pytest.mark.parametrize("again", [True, False])
def test_new_weights_and_dropout_are_those_of_the_trial_with_model_init_alone(again: bool, tmp_path: Path) -> None:
    def model_init(trial: optuna.Trial | None = None) -> LlamaForCausalLM:
        return LlamaForCausalLM(LlamaConfig(**(tiny_model().config.to_dict() | {"attention_dropout": 0.2})))

    trainer = tiny_trainer(str(tmp_path))
    trainer.model_init = model_init
    best = snippet.search(trainer, trials=1)
    arguments, data = quiet_arguments(str(tmp_path)), {"train_dataset": tiny_dataset()}
    if again:
        trained = snippet.train_best(best, arguments, model_init, **data)
    else:
        trained = Trainer(model_init(), TrainingArguments(**(arguments | best.hyperparameters)), **data)
        trained.train()
    loss = trained.evaluate(tiny_dataset())["eval_loss"]
    assert (loss == pytest.approx(best.objective, rel=1e-6)) == again


@pytest.mark.claim("hpo_train#model-init", "transformers/trainer.py::Trainer._hp_search_setup")
def test_an_argument_that_a_trial_leaves_out_keeps_the_value_of_the_one_before(tmp_path: Path) -> None:
    trainer = tiny_trainer(str(tmp_path), max_steps=1, weight_decay=0.1)
    trainer.hyperparameter_search(
        backend="optuna", n_trials=2, hp_space=lambda trial: {} if trial.number else {"weight_decay": 0.5}
    )
    assert trainer.args.weight_decay == 0.5


def test_a_setting_of_the_model_is_suggested_in_model_init(tmp_path: Path) -> None:
    trainer, ranks = tiny_trainer(str(tmp_path), max_steps=1), []

    def model_init(trial: optuna.Trial | None) -> LlamaForCausalLM:
        ranks.append(trial.suggest_categorical("rank", [4, 8]))
        return tiny_model()

    trainer.model_init = model_init
    best = trainer.hyperparameter_search(backend="optuna", n_trials=2, hp_space=lambda trial: {})
    assert best.hyperparameters == {"rank": ranks[int(best.run_id)]}


@pytest.mark.claim("hpo_train#optuna", "transformers/integrations/integration_utils.py::run_hp_search_optuna")
def test_an_error_in_a_trial_ends_the_search_unless_it_is_caught_and_a_stored_study_goes_on(tmp_path: Path) -> None:
    def model_init(trial: optuna.Trial | None) -> LlamaForCausalLM:
        if trial.number == 1:
            raise torch.OutOfMemoryError
        return tiny_model()

    trainer = tiny_trainer(str(tmp_path), max_steps=1)
    trainer.model_init = model_init
    stored = {"storage": f"sqlite:///{tmp_path}/search.db", "study_name": "search", "load_if_exists": True}
    search = {"backend": "optuna", "hp_space": snippet.space} | stored
    with pytest.raises(torch.OutOfMemoryError):
        trainer.hyperparameter_search(**search, n_trials=3, sampler=optuna.samplers.TPESampler(seed=0))
    trainer.hyperparameter_search(**search, n_trials=2, sampler=optuna.samplers.TPESampler(seed=0))
    trials = optuna.load_study(study_name="search", storage=stored["storage"]).trials
    assert [trial.state.name for trial in trials] == ["COMPLETE", "FAIL", "COMPLETE", "COMPLETE"]
    assert trials[2].params == trials[0].params  # The same seed proposes the same again.
    caught = {"n_trials": 3, "catch": (torch.OutOfMemoryError,)}
    assert trainer.hyperparameter_search(backend="optuna", hp_space=snippet.space, **caught).objective
