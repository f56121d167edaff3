"""Which error-correcting code, decoder and seed length the keyed head should use: limits, codes, study."""
