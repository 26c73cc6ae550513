// Prints what robfig/cron needs for the same questions: kind, expression, zone and nanoseconds, separated by tabs.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/robfig/cron"
)

var expressions = []string{"* * * * *", "*/15 9-17 * * 1-5", "0 9 * * 1-5", "0 0 1 1 *",
	"0 0 29 2 *", "30 2 * * *", "0 0 13 * 5", "*/10 * * * * *"}

// best is the shortest time of one operation over several windows.
func best(operation func(i int)) float64 {
	const windows, window = 7, 40 * time.Millisecond
	shortest := 1e18
	for w := 0; w < windows; w++ {
		count := 0
		begin := time.Now()
		for time.Since(begin) < window {
			for i := 0; i < 64; i++ {
				operation(count)
				count++
			}
		}
		if each := float64(time.Since(begin).Nanoseconds()) / float64(count); each < shortest {
			shortest = each
		}
	}
	return shortest
}

func main() {
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	for _, zone := range []string{"UTC", "America/New_York"} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		instants := make([]time.Time, 512)
		for i := range instants {
			instants[i] = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 61583 * time.Second).In(location)
		}
		for _, expression := range expressions {
			schedule, err := parser.Parse(expression)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Printf("next\t%s\t%s\t%.1f\n", expression, zone, best(func(i int) { schedule.Next(instants[i%512]) }))
		}
	}
	for _, expression := range expressions {
		fmt.Printf("parse\t%s\t\t%.1f\n", expression, best(func(int) { parser.Parse(expression) }))
	}
}
