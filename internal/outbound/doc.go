// Package outbound has what limits the requests to other servers that clients cause, such as the introspection of their
// access tokens: a [KeyedSemaphore], for how many may run at once for each address or host, and [IsShared], which reports
// whether an address identifies a client. Only integrations link it; package admission has the limits of calls.
package outbound
