// Jobs per second of River: inserted with InsertManyFast, worked by one client.
//
//	river CONNECTION JOBS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type nothing struct {
	N int `json:"n"`
}

func (nothing) Kind() string { return "nothing" }

type worker struct {
	river.WorkerDefaults[nothing]
	done *atomic.Int64
}

func (w *worker) Work(context.Context, *river.Job[nothing]) error {
	w.done.Add(1)
	return nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	jobs, err := strconv.Atoi(os.Args[2])
	must(err)
	config, err := pgxpool.ParseConfig(os.Args[1])
	must(err)
	config.MaxConns = 12
	pool, err := pgxpool.NewWithConfig(ctx, config)
	must(err)
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	must(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	must(err)
	done := &atomic.Int64{}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{done: done})
	client, err := river.NewClient(driver, &river.Config{
		FetchCooldown:     time.Millisecond,
		FetchPollInterval: 10 * time.Millisecond,
		Logger:            slog.New(slog.DiscardHandler),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1000}},
		Workers:           workers,
	})
	must(err)
	for n := 0; n < jobs; n += 5000 {
		var batch []river.InsertManyParams
		for i := n; i < min(n+5000, jobs); i++ {
			batch = append(batch, river.InsertManyParams{Args: nothing{N: i}})
		}
		_, err := client.InsertManyFast(ctx, batch)
		must(err)
	}
	completed := func() (count int) {
		must(pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE state = 'completed'").Scan(&count))
		return count
	}
	began := time.Now()
	must(client.Start(ctx))
	for done.Load() < int64(jobs) {
		time.Sleep(5 * time.Millisecond)
	}
	for completed() < jobs {
		time.Sleep(20 * time.Millisecond)
	}
	seconds := time.Since(began).Seconds()
	must(client.Stop(ctx))
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"jobs": jobs, "seconds": seconds, "per_second": float64(jobs) / seconds}))
}
