"""Many questions at once, by continuous batching: each answer ends by itself and makes room for the next."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _tiny_chat import make_checkpoint
from transformers import AutoModelForCausalLM, AutoTokenizer, ContinuousBatchingConfig

# isort: split
# --8<-- [start:answers]
from transformers import GenerationConfig


def answer_many(model, tokenizer, questions, tokens=512, pool=None):
    requests = tokenizer.apply_chat_template(
        [[{"role": "user", "content": each}] for each in questions],
        add_generation_prompt=True,
    )["input_ids"]
    # Without an end token, no answer ends before its limit.
    end = model.generation_config.eos_token_id
    outputs = model.generate_batch(
        requests,
        generation_config=GenerationConfig(
            do_sample=False, max_new_tokens=tokens, eos_token_id=end
        ),
        continuous_batching_config=pool,  # None: most free memory
    ).values()
    # What fails is logged, not raised.
    errors = [output.error for output in outputs if output.error]
    if errors or len(outputs) < len(questions):
        raise RuntimeError(f"not all questions were answered: {errors}")
    return [
        tokenizer.decode(output.generated_tokens, skip_special_tokens=True)
        for output in outputs
    ]


# --8<-- [end:answers]
POOL = ContinuousBatchingConfig(num_blocks=8, max_batch_tokens=64)  # Enough for a tiny model.
QUESTIONS = ["2 + 2?", "Why is the sky blue?", "Name three colors."]


def main() -> None:
    with TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder))
        model, tokenizer = AutoModelForCausalLM.from_pretrained(checkpoint), AutoTokenizer.from_pretrained(checkpoint)
        answers = answer_many(model, tokenizer, QUESTIONS, 16, POOL)
    print(f"{len(answers)} answers to {len(QUESTIONS)} questions, none empty: {all(map(str.strip, answers))}")


if __name__ == "__main__":
    main()
