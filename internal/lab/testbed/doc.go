// Package testbed runs instances of a server behind a real nginx, all on loopback, for programs that observe it as a
// client while instances stop: [Open] and [Start] run the instances, [StartNginx] the load balancer, and [Nginx.Dial]
// connects a client to it that reports which instance has responded.
package testbed
