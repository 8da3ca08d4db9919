package runtime

// ContractV1 is mentioned by generated code, so that a client which was
// generated for another contract between generator and runtime does not
// compile: a runtime that is too old lacks the constant, one that is too new
// no longer declares it. The mend is the same for both: run go generate with
// the retrygen that go.mod selects.
const ContractV1 = true
