# RowSoftmax: the reference for tests on a device.
# Softmax along the last dimension.
# Generated from ascendc_trees::rows::row_softmax; do not edit.
{{fragment: paper/st/preamble.py; @golden@ = row_softmax_golden}}


@register("op_dsl_row_softmax")
class Reference(BaseApi):
    def __call__(self, input_data: InputDataset, with_output: bool = False):
        given = input_data.kwargs
        results = row_softmax_golden(numbers(given.get("x")))
        dtype = given["x"].dtype
        results = [torch.from_numpy(result).to(dtype) for result in results]
        return results[0] if len(results) == 1 else results
