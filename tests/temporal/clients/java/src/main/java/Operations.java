import io.temporal.api.enums.v1.ScheduleOverlapPolicy;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.*;
import io.temporal.common.SearchAttributeKey;
import io.temporal.common.SearchAttributes;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Every operation on schedules of Temporal's Java SDK, with what it answers, one per line. */
public class Operations {
  static final String ID = "by-java";
  static final SearchAttributeKey<String> TEAM = SearchAttributeKey.forKeyword("Team");

  static ScheduleDescription await(String what, ScheduleHandle handle, Predicate<ScheduleDescription> isRight)
      throws InterruptedException {
    for (int i = 0; i < 300; ++i) {
      ScheduleDescription described = handle.describe();
      if (isRight.test(described)) return described;
      Thread.sleep(100);
    }
    throw new AssertionError("not within 30 s: " + what);
  }

  static Schedule schedule() {
    return Schedule.newBuilder()
        .setSpec(
            ScheduleSpec.newBuilder()
                .setCronExpressions(List.of("0 2 * * *"))
                .setCalendars(
                    List.of(
                        ScheduleCalendarSpec.newBuilder()
                            .setHour(List.of(new ScheduleRange(12)))
                            .setComment("noon")
                            .build()))
                .setTimeZoneName("Europe/Berlin")
                .build())
        .setAction(
            ScheduleActionStartWorkflow.newBuilder()
                .setWorkflowType("Quick")
                .setArguments(7)
                .setOptions(WorkflowOptions.newBuilder().setWorkflowId("java-quick").setTaskQueue("work").build())
                .build())
        .setPolicy(SchedulePolicy.newBuilder().setCatchupWindow(Duration.ofHours(1)).build())
        .setState(ScheduleState.newBuilder().setNote("made by Java").build())
        .build();
  }

  static ScheduleOptions options() {
    return ScheduleOptions.newBuilder()
        .setTriggerImmediately(true)
        .setMemo(Map.of("team", "data"))
        .setTypedSearchAttributes(SearchAttributes.newBuilder().set(TEAM, "data").build())
        .build();
  }

  public static void main(String[] arguments) throws Exception {
    WorkflowServiceStubs stubs =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder()
                .setTarget(System.getenv("TEMPORAL_ADDRESS"))
                .addApiKey(() -> System.getenv("TEMPORAL_API_KEY"))
                .setEnableHttps(!"false".equals(System.getenv("TEMPORAL_TLS")))
                .build());
    ScheduleClient schedules = ScheduleClient.newInstance(stubs);
    try {
      operate(schedules);
    } finally {
      stubs.shutdownNow();
    }
  }

  static void operate(ScheduleClient schedules) throws Exception {
    ScheduleHandle handle = schedules.createSchedule(ID, schedule(), options());
    System.out.println("create: " + handle.getId());
    try {
      schedules.createSchedule(ID, schedule(), options());
    } catch (ScheduleAlreadyRunningException error) {
      System.out.println("create again: true");
    }

    ScheduleDescription described =
        await(
            "the first run",
            handle,
            d -> d.getInfo().getNumActions() == 1 && d.getInfo().getRunningActions().isEmpty());
    ScheduleActionStartWorkflow action = (ScheduleActionStartWorkflow) described.getSchedule().getAction();
    System.out.printf(
        "describe: %s %s %s %s %s %d %s %d%n",
        action.getWorkflowType(),
        action.getOptions().getTaskQueue(),
        described.getSchedule().getState().getNote(),
        described.getMemo("team", String.class),
        described.getTypedSearchAttributes().get(TEAM),
        described.getInfo().getNextActionTimes().size(),
        described.getSchedule().getSpec().getTimeZoneName(),
        described.getSchedule().getSpec().getCalendars().size());
    var execution =
        (ScheduleActionExecutionStartWorkflow) described.getInfo().getRecentActions().get(0).getAction();
    System.out.printf(
        "recent: %b %b%n",
        execution.getWorkflowId().startsWith("java-quick-"), !execution.getFirstExecutionRunId().isEmpty());

    handle.update(
        input -> {
          Schedule seen = input.getDescription().getSchedule();
          return new ScheduleUpdate(
              Schedule.newBuilder(seen)
                  .setSpec(
                      ScheduleSpec.newBuilder()
                          .setIntervals(
                              List.of(new ScheduleIntervalSpec(Duration.ofHours(1), Duration.ofMinutes(1))))
                          .build())
                  .setState(ScheduleState.newBuilder(seen.getState()).setNote("changed").build())
                  .build());
        });
    described = handle.describe();
    ScheduleIntervalSpec interval = described.getSchedule().getSpec().getIntervals().get(0);
    System.out.printf(
        "update: %s %s %s %s%n",
        interval.getEvery(),
        interval.getOffset(),
        described.getSchedule().getState().getNote(),
        described.getTypedSearchAttributes().get(TEAM));

    handle.trigger();
    await("the triggered run", handle, d -> d.getInfo().getNumActions() == 2);
    System.out.println("trigger: 2 actions");

    handle.pause();
    described = handle.describe();
    System.out.printf(
        "pause: %b %s%n", described.getSchedule().getState().isPaused(), described.getSchedule().getState().getNote());
    handle.unpause("go on");
    described = handle.describe();
    System.out.printf(
        "unpause: %b %s%n",
        described.getSchedule().getState().isPaused(), described.getSchedule().getState().getNote());

    Instant begin = Instant.parse("2026-11-01T00:01:00Z");
    handle.backfill(
        List.of(
            new ScheduleBackfill(
                begin, begin.plus(Duration.ofHours(3)), ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL)));
    await("the backfill", handle, d -> d.getInfo().getNumActions() == 6);
    System.out.println("backfill: 6 actions");

    for (String query : new String[] {"", "Team = 'data'", "ScheduleId = 'nobody'"}) {
      List<String> found =
          schedules
              .listSchedules(query, 1)
              .filter(entry -> entry.getScheduleId().startsWith(ID))
              .map(
                  entry ->
                      entry.getScheduleId()
                          + " "
                          + ((ScheduleListActionStartWorkflow) entry.getSchedule().getAction()).getWorkflow()
                          + " "
                          + entry.getSchedule().getState().getNote())
              .collect(Collectors.toList());
      System.out.printf("list \"%s\": %s%n", query, found);
    }
    try {
      schedules.listSchedules("Nobody = 1", 1).count();
    } catch (Exception error) {
      System.out.println(
          "list by what is not there: " + (error.getCause() == null ? error : error.getCause()).getMessage());
    }

    handle.delete();
    try {
      handle.describe();
    } catch (ScheduleException error) {
      System.out.println("delete: " + error.getMessage() + ": " + error.getCause().getMessage());
    }
  }
}
