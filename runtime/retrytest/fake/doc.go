// Package fake is what generated fakes of an API are made of: a [Server] that
// knows the operations of a document, and an [Operation] for each, with a typed
// handler, scripted faults, a memory for idempotency keys, and a record of what
// arrived. Generated code decodes what a request bears with an [Input] and makes
// each documented response an [Answer].
//
// Import it from tests only, through the package that is generated.
package fake
