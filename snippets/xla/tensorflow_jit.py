"""TensorFlow's XLA: jit_compile=True turns a model into one compiled program, as transformers 4 last had it."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"  # transformers' TensorFlow models are Keras 2.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from transformers import BertConfig, TFBertForMaskedLM


def tiny_model() -> TFBertForMaskedLM:
    """A BERT of random weights, the same at every call; nothing is downloaded."""
    tf.keras.utils.set_random_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = TFBertForMaskedLM(BertConfig(vocab_size=256, **sizes))
    model.build_in_name_scope()  # Else the first call under tf.function, which makes the weights, is traced twice.
    return model


def tokens(rows: int = 2, length: int = 16) -> tf.Tensor:
    return tf.random.stateless_uniform((rows, length), seed=(0, 0), maxval=256, dtype=tf.int32)


def compiled(model: TFBertForMaskedLM) -> tf.types.experimental.PolymorphicFunction:
    # --8<-- [start:jit]
    @tf.function(jit_compile=True)
    def logits(input_ids: tf.Tensor) -> tf.Tensor:
        return model(input_ids).logits

    # --8<-- [end:jit]
    return logits


def pad(input_ids: tf.Tensor, multiple: int = 64) -> tf.Tensor:
    # --8<-- [start:pad]
    # Every new shape is compiled anew: pad to a multiple.
    missing = -input_ids.shape[1] % multiple
    padded = tf.pad(input_ids, [[0, 0], [0, missing]])
    # --8<-- [end:pad]
    return padded


def program(model: TFBertForMaskedLM, input_ids: tf.Tensor) -> str:
    """The program in XLA's own language, before its optimizations."""
    return compiled(model).experimental_get_compiler_ir(input_ids)(stage="hlo")


def main() -> None:
    model = tiny_model()
    logits = compiled(model)
    difference = tf.reduce_max(tf.abs(logits(tokens()) - model(tokens()).logits))
    print(f"TensorFlow {tf.__version__}: largest difference of the logits {float(difference):.4f}")
    print(f"It is a program of XLA: {program(model, tokens()).startswith('HloModule')}")
    for length in (17, 33, 50):
        logits(tokens(2, length))
    print(f"Compiled for 4 lengths: {logits.experimental_get_tracing_count()} programs")
    padded = compiled(model)
    for length in (16, 17, 33, 50):
        padded(pad(tokens(2, length)))
    print(f"The same lengths padded to 64: {padded.experimental_get_tracing_count()} program")


if __name__ == "__main__":
    main()
