//! Text that `--help` shows below the options of a command.

/// Help text of `check`: the meaning of the lines that it prints for every target.
pub const CHECK: &str = "\
One line for each operator and promise:
  derivative  a gradient, derived or written by hand, is what central differences of its forward
              operator's own function say, or of the compiled formula if that operator is derived,
              in f64, wherever these have a derivative
  accuracy    `verify` on every level of this CPU: truth, limits, NaN, factors";

/// Help text of `verify`: the inputs that it sweeps, and the columns that it prints.
pub const VERIFY: &str = "\
The truth is the formula as it was written, and for a gradient the derivative of its forward
formula, evaluated in as many bits as it takes. No pass of the compiler has a part in it.

What is swept: every stream that a formula is applied to (that it is not linear in), through all
65,536 values of 16-bit types (of operators with few forms), and in f32 through all exponents of
either sign, the range of activations, and the neighbours of the formula's constants. Factors are 1
meanwhile. Where a formula is applied to several streams, each is swept with the others at 0.5, -1.5
and 3. Float attributes are swept at their defaults and at 0.75 times these (0.75 where they are 0).
Then all streams are random: over all exponents, moderate activations beside any factors, factors
that make the result a normal number, and streams that are alike.

Formulas with row functions are tried on rows of 1 to 1000 elements, against the formula in f64. Errors
are in units in the last place, or in what a result changes by if terms change by a unit of f32, where
that is more. Derived gradients are compared with differences of the forward formula.

The number of elements is fixed, and so is the work that the truth may take on an average: no operator
takes more than a few CPU seconds. What that leaves out is the same on every machine. --thorough has
16 times as many, and no limit. An operator's line appears as soon as it is known.

Columns:
  f32, f16, bf16 ulp  largest error in units in the last place of the true result, of all modes,
                      levels and outputs. In f32, near a zero crossing away from 0, in units of 2^-7
                      of the factor before it. Budgets: 2 in f32 (without FMA those of the table of
                      primitives, if larger), 1 in 16-bit types
  f16, bf16 right     share of results that are correctly rounded, of the worst mode and level;
                      at least 99.9 %. Halfway between two neighbours is what f32 cannot tell from it
  limits              results for infinite activations that are the limit
  NaN                 results for NaN that are what the formula makes of it
  factors             results of random streams that are neither NaN nor a false infinity; their
                      errors are in `ulp`
  verdict             ok, or what is missed, and where; `undecided` if 2048 bits do not tell the truth
With --all also:
  mode                attributes that the formula branches on; `formula` if there are none
  inputs              how many elements were computed
  budget              for the errors in `ulp`
  output, at          where the largest error is: output, streams and attributes
  author              largest relative difference between the author's code, run in f64, and the
                      compiled formula within -4..4; at most 1e-9. Of a derived gradient, which has no
                      code of its own, the difference between exact values and the compiled formula";

/// Help text of `bench`: the rows and columns that it prints.
pub const BENCH: &str = "\
Two rows for each element type and number of threads: the operator, and its floor, which reads and
writes the same tensors through the same driver with next to no arithmetic. Their runs take turns, so
that both see the same machine; what it is stands above the rows.

Columns:
  system, op          this program, or the floor; the operator
  mode                attributes that the formula branches on; `formula` if there are none. Of a floor
                      `nt` where it stores past the caches, as the operator does, else `plain`
  size                of the formula's domain: of one half of a gated activation
  ns_per_elem         median, in nanoseconds per element of the domain
  gbps                bytes that must move, over that time
  x_floor             the operator's median over the floor's
  least_ns            the shortest run: what is left of ns_per_elem while the machine does nothing else
  setting             SIMD level, data if they are not N(0, 1), attributes that are not at their defaults

With --compare a second table has every row of both files: the times before and now (medians, where a
file has a row several times: files may be joined end to end), now over before, and both ratios to the
floor. Where the machine's speed drifts, those tell more than times do. It follows a CSV as notes,
which start with `#` and are passed over by --compare.";

/// Help text of `report`: the format of the files that it reads.
pub const REPORT: &str = "\
A file for --compare begins with `# op-dsl by hand 1`, then notes that say where its figures are from, then

  operator,form,npu,dtype,calls,cycles,lines,source

and rows of two kinds; cells that do not belong to a row are empty:
  lines   operator, how many lines its package has (blank ones aside), where they are
  a tile  operator, form (as `verify --all` names modes), NPU, element type, vector calls per tile, their
          cycles of the vector unit for 64 elements (may be empty), where they were counted
Where a file says nothing of an operator, the page has a dash.";
