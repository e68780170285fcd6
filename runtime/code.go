package runtime

// code is a JSON-RPC error code. These are all that the engine sends. A tool cannot choose one,
// a method of the author's own can, see [Error].
type code int

const (
	codeParse              code = -32700 // not JSON
	codeInvalidRequest     code = -32600 // JSON, but no request we may take
	codeMethodNotFound     code = -32601 // no such method in this revision, or not offered
	codeInvalidParams      code = -32602 // params of the wrong shape
	codeInternal           code = -32603 // our fault
	codeHeaderMismatch     code = -32020 // from 2026-07-28 on: the transport's headers say something else
	codeResourceNotFound   code = -32002 // up to 2025-11-25, from methods of the author's own
	codeMissingCapability  code = -32021 // from 2026-07-28 on, with data
	codeUnsupportedVersion code = -32022 // from 2026-07-28 on, with data
)

// The codes that JSON-RPC and the protocol keep for themselves.
const firstReserved, lastReserved code = -32768, -32000
