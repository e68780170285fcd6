// Package respond keeps the order of the messages of a request: an [Out] is where they are sent, whatever the transport, the
// revision and the kind of the request. A [Table] has the requests of a connection that have not been answered.
package respond
