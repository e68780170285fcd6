// Package envelope reads the envelope of an incoming message: JSON-RPC's
// members, and the few members of params that every layer above wants to see.
//
// [Message.Read] makes one pass over the bytes. It validates all of them and decodes
// none: identifiers, arguments and metadata stay raw slices of the input, so an
// id comes back byte for byte and the arguments of a tool are decoded once, by
// the tool. What is wrong with a message is told in two ways: text that is not
// JSON is an error; JSON that is no JSON-RPC message has a [Message.Flaw].
package envelope
