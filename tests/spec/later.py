"""Rows of the specification that do not hold yet, and what they wait for. A row that starts to hold must be taken off the list."""

# Described in words in the table: the result varies from run to run or cannot be written down.
IN_WORDS = {"7.247", "9.249", "10.3"}

# What these sections describe is not there yet, or not all of it; their rows marked WART are settled together with it.
SECTIONS = {"9", "11"}

LATER = {
    "tf.function: graphs of control flow, unknown sizes, sparse gradients, and the errors of graphs": """
        6.44-6.45 6.64 8.376 8.379 8.381 8.391-8.392 8.404-8.409 9.10 9.15 9.23 9.31-9.32 9.61 9.63 9.75
        9.83-9.84 9.87-9.88 9.90 9.102 9.124 9.129 9.144-9.145 9.147 9.157 9.161-9.163 9.166-9.167 9.170 9.173 9.179
        9.181-9.182 9.185 9.187 9.190 9.196 9.203-9.204 9.207-9.208 9.262-9.263 9.266 9.268-9.269 9.271-9.272 9.276-9.277
        9.286-9.287 10.36 10.50-10.51
    """,
    "Keras on top of tapeflow": """
        6.153 7.292-7.297 11.1-11.36
    """,
    "XLA: jit_compile=True": """
        9.234 9.237-9.239 9.241 9.244-9.245 9.251-9.252 9.255
    """,
}
