// A Temporal server of one process on a SQLite file, for tests of carillon against the real thing. Everything it keeps is in
// the file, so that the process can be killed and started again. It listens on the loopback interface alone.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const loopback = "127.0.0.1"

// freePort is one that nobody has at this moment.
func freePort() int {
	listener, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func service(port int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port, MembershipPort: freePort(), BindOnIP: loopback}}
}

func configuration(database string, port int) *config.Config {
	frontend := fmt.Sprintf("%s:%d", loopback, port)
	store := config.SQL{
		PluginName:        sqliteplugin.PluginName,
		DatabaseName:      database,
		ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "2"},
	}
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback},
			PProf:      config.PProf{Port: 0},
		},
		Persistence: config.Persistence{
			DefaultStore:     "here",
			VisibilityStore:  "here",
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{"here": {SQL: &store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        "active",
			CurrentClusterName:       "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			"frontend": service(port),
			"history":  service(freePort()),
			"matching": service(freePort()),
			"worker":   service(freePort()),
		},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{
			Archival: config.ArchivalNamespaceDefaults{
				History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
				Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
			},
		},
		PublicClient: config.PublicClient{HostPort: frontend},
	}
}

func hosts(settings *config.Config) map[primitives.ServiceName]static.Hosts {
	all := map[primitives.ServiceName]static.Hosts{}
	for _, name := range []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	} {
		all[name] = static.SingleLocalHost(fmt.Sprintf("%s:%d", loopback, settings.Services[string(name)].RPC.GRPCPort))
	}
	return all
}

// prepare makes the tables and the namespaces that are not there yet.
func prepare(settings *config.Config, database string, namespaces []string) error {
	store := settings.Persistence.DataStores["here"].SQL
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
		if err := sqlite.SetupSchema(store); err != nil {
			return fmt.Errorf("tables of %s: %w", database, err)
		}
	}
	var missing []*sqlite.NamespaceConfig
	for _, name := range namespaces {
		namespace, err := sqlite.NewNamespaceConfig("active", name, false, nil)
		if err != nil {
			return fmt.Errorf("namespace %s: %w", name, err)
		}
		missing = append(missing, namespace)
	}
	return sqlite.CreateNamespaces(store, missing...)
}

func main() {
	port := flag.Int("port", 17233, "where clients connect to")
	database := flag.String("database", "temporal.db", "SQLite file")
	namespaces := flag.String("namespaces", "default", "that exist, separated by commas")
	level := flag.String("log-level", "error", "of what is printed")
	flag.Parse()

	settings := configuration(*database, *port)
	if err := prepare(settings, *database, strings.Split(*namespaces, ",")); err != nil {
		log.Fatal(err)
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(settings),
		temporal.ForServices(temporal.DefaultServices),
		// Without gossip: after a kill it would look for its dead members, for so long that it gives up on a busy machine.
		temporal.WithStaticHosts(hosts(settings)),
		temporal.WithLogger(serverlog.NewZapLogger(serverlog.BuildZapLogger(serverlog.Config{Stdout: true, Level: *level}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			// It may tell others on this machine when workflows have ended.
			dynamicconfig.MakeKey("callback.allowedAddresses"): []any{
				map[string]any{"Pattern": loopback + ":*", "AllowInsecure": true},
			},
		}),
		temporal.InterruptOn(temporal.InterruptCh()),
	)
	if err != nil {
		log.Fatal(err)
	}
	// Ends when the process is told to, by a signal.
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
}
