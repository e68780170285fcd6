// Package envelope reads the envelope of an incoming message: the members of
// JSON-RPC, and the members of params that several layers above need.
//
// [Message.Read] validates the whole text in one pass and does not decode
// values: ids, arguments and metadata are raw slices of the input. So a
// response has the id of its request byte for byte, and the arguments of a tool
// are decoded once, by the tool. Text that is not JSON is an error; JSON that
// is not a valid JSON-RPC message has a [Message.Flaw].
package envelope
