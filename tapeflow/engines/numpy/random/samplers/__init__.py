"""How numbers of each distribution are made of Philox words, on NumPy. TensorFlow's recipes, so that they are its
numbers; but all samples at a time. Samplers that draw until a number is accepted give each sample blocks of its own,
so that none waits for another."""
