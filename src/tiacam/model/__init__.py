"""The feature model: one ONNX file and its card, run by onnxruntime."""
