"""Rows of the specification that do not hold yet, and what they wait for. A row that starts to hold must be taken off the list."""

# Described in words in the table: the result varies from run to run or cannot be written down.
IN_WORDS = {"7.247", "9.249", "10.3"}

# What these sections describe is not there yet; their rows marked WART are settled together with it.
SECTIONS = {"9", "11"}

LATER = {
    "tf.function": """
        3.43-3.45 3.48-3.49 3.83 5.75-5.76 5.78-5.81 5.83
        6.44-6.45 6.61 6.64 6.75 6.79-6.80 6.100 6.149-6.151 8.371-8.374 8.376-8.409 9.1-9.32 9.34-9.38 9.41-9.121 9.123-9.183
        9.185-9.187 9.190 9.192-9.196 9.198-9.204 9.206-9.207 9.210-9.211 9.216 9.220 9.256-9.257 9.259-9.263 9.267-9.268
        9.270-9.272 9.280 9.282 9.284 10.10 10.26 10.35-10.36 10.50-10.51
    """,
    "Keras on top of tapeflow": """
        6.153 7.292-7.297 11.1-11.36
    """,
    "XLA: jit_compile=True": """
        3.46 5.77 6.78 6.159-6.160 7.57 7.179 7.285 9.228-9.255 9.258
    """,
    "control flow and callbacks that belong to tf.function": """
        9.208 9.266 9.269 9.276-9.277 9.286-9.287
    """,
}
