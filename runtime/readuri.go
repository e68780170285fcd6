package runtime

// readURI is the URI of a resource in a request, with the results of its lookup. If the request reads the resource, the
// call uses it, together with the extras that are allocated in it.
type readURI struct {
	raw       []byte // as sent by the client, JSON
	normal    string // in normal form
	variables []byte // the arguments of the runner of the resource
	room      [64]byte
	extras    callExtras
}

// listError is the error of a lister for the client. It is the error of the request if nothing can be listed.
type listError struct {
	answer *wireError
	how    outcome
}
