// Package transcript plays recorded conversations between a client and a server, and compares the server's messages
// with the recorded ones.
//
// A transcript is a text file: prose that explains what it shows and why, and names the requirements, then one directive per
// line. The same files are played to the engine in memory and to every transport, through the small interface [Conn].
//
//	-> {"jsonrpc":"2.0","id":1,"method":"ping"}       the client sends this line
//	=> "{\"id\":\xff}"                                the same, as a Go string: for bytes an editor would spoil
//	<- {"jsonrpc":"2.0","id":1,"result":{}}           the server's next message
//	<~ {…}                                            neighbouring lines: these messages, in any order
//	<- nothing                                        the server sends nothing for a while
//	.. 300ms                                          the client waits
//	-|                                                the client sends no more
//	<-|                                               the server has ended too
//	%server page=2 log=all                            the configuration of the server; see internal/testing/fixture
//	%let NAME text                                    ${NAME} below is replaced by text
//	%revisions 2024-11-05 2025-03-26                  the file is a transcript for each of these; ${REVISION} is its own
//	@2025-06-18.. %let NAME text                      the directive applies from one revision to another; either may be left out
//	# …                                               a comment
//
// Messages are compared as JSON: the order of members and white space do not matter, numbers are compared digit by digit.
// In an expected message these strings are placeholders:
//
//	"<any>" "<string>" "<number>" "<object>"          any value of that kind
//	"<take NAME>"                                     any string; replaces ${NAME} below, in what the client sends
//	"<match REGEXP>"                                  a string that matches all of REGEXP
//	"<more>": "<any>", as a member                    other members may be present
package transcript
