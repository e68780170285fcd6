package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/integrations/jetstream"
)

// options are the flags of the command.
type options struct {
	from, to side

	node string        // node name, for a source directory
	wait time.Duration // wait for instances of a source NATS server

	replicas            int
	tasks, perPrincipal int
	bytes               int64
}

// side is the source or the destination.
type side struct {
	place string // path or URL
	name  string // jetstream.Options.Name
	creds string // path
}

// defaultWait is long enough for a crashed instance to count as dead, with the default of jetstream.Options.Heartbeat.
const defaultWait = 30 * time.Second

// parse parses the flags; the error is [flag.ErrHelp] or was printed.
func parse(args []string, stderr printer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("copytasks", flag.ContinueOnError)
	flags.SetOutput(stderr.w)
	flags.StringVar(&o.from.place, "from", "", "where the tasks are: a `file` of boltstore, the directory of a single embedded NATS server, or the URL of a NATS server; opening a file makes tasks in it fail that have not ended and are not durable")
	flags.StringVar(&o.to.place, "to", "", "where to copy them: the `URL` of a NATS server or cluster, or a file of boltstore")
	flags.StringVar(&o.from.name, "from-name", "mcptool", "`name` of the server in NATS that is copied from: jetstream.Options.Name")
	flags.StringVar(&o.to.name, "to-name", "mcptool", "`name` of the server in NATS that is copied to")
	flags.StringVar(&o.from.creds, "from-creds", "", "`file` with the NATS credentials for -from")
	flags.StringVar(&o.to.creds, "to-creds", "", "`file` with the NATS credentials for -to")
	flags.StringVar(&o.node, "from-node", "", "`name` of the embedded server that is copied from, if it has one: embedded.Node.Name")
	flags.DurationVar(&o.wait, "wait", defaultWait, "how long to wait until no instance uses the NATS server that is copied from")
	flags.IntVar(&o.replicas, "replicas", 0, "how many nodes of the cluster keep each task; 0 means three, or one without a cluster")
	flags.IntVar(&o.tasks, "max-tasks", 0, "limit of tasks in the destination; 0 means none, since the source has kept them")
	flags.IntVar(&o.perPrincipal, "max-per-principal", 0, "limit of tasks of one principal in the destination; 0 means none")
	flags.Int64Var(&o.bytes, "max-bytes", 0, "size of the records in the destination, in bytes, from which on no task is copied; 0 means no limit")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	err := o.check(given)
	if flags.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	if err != nil {
		stderr.printf("copytasks: %v; -help lists the flags\n", err)
	}
	return o, err
}

// check validates the options; given has the names of flags that were set.
func (o *options) check(given map[string]bool) error {
	switch {
	case o.from.place == "" || o.to.place == "":
		return errors.New("-from and -to are required")
	case looksLikeServer(o.from.place) || looksLikeServer(o.to.place):
		return errors.New("a NATS server is written as nats://host:port (or with tls, ws or wss); a file or directory with such a name is written as ./name")
	case o.from.place == o.to.place && (!isURL(o.to.place) || o.from.name == o.to.name):
		return errors.New("-from and -to are the same")
	case (given["from-creds"] || given["wait"]) && !isURL(o.from.place):
		return errors.New("-from-creds and -wait are for the URL of a NATS server")
	case given["from-node"] && isURL(o.from.place):
		return errors.New("-from-node is for the directory of an embedded server")
	case (given["to-name"] || given["to-creds"] || given["replicas"]) && !isURL(o.to.place):
		return errors.New("-to-name, -to-creds and -replicas are for the URL of a NATS server")
	case o.tasks < 0 || o.perPrincipal < 0 || o.bytes < 0 || o.wait < 0:
		return errors.New("limits and -wait are zero or more")
	}
	return nil
}

var (
	natsURL  = regexp.MustCompile(`^(nats|tls|ws|wss)://`)
	hostPort = regexp.MustCompile(`^[^/\\]+(:[0-9]+$|@)`) // one or more; also a scheme without slashes, or a user
)

// looksLikeServer reports whether a place is probably a server without a valid URL.
func looksLikeServer(place string) bool {
	return !natsURL.MatchString(place) && (isURL(place) || hostPort.MatchString(place))
}

func (o *options) fileLimits() boltstore.Limits {
	return boltstore.Limits{Tasks: orMost(o.tasks), PerPrincipal: orMost(o.perPrincipal), Bytes: o.maxBytes()}
}

func (o *options) natsLimits() jetstream.Limits {
	return jetstream.Limits{Tasks: orMost(o.tasks), PerPrincipal: orMost(o.perPrincipal), Bytes: o.maxBytes()}
}

func (o *options) maxBytes() int64 {
	if o.bytes == 0 {
		return math.MaxInt64
	}
	return o.bytes
}

// orMost converts a limit; 0 means no limit.
func orMost(limit int) int {
	if limit == 0 {
		return math.MaxInt
	}
	return limit
}
