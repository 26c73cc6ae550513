// How every page looks: accessible in both themes, and on a small screen. With a folder, pictures of all of them.
import assert from 'node:assert/strict';

export async function looks(h) {
  const {page, server} = h;
  const newest = (await server.ask('GET', '/api/v1/runs?schedule=greeter&limit=1')).items[0].id;
  const pages = {
    overview: '', schedules: 'schedules', schedule: 'schedules/default/greeter?hours=1', trend: 'schedules/default/hourly?tab=trend', 'schedule-calendar': 'schedules/default/evil?tab=calendar&month=2026-12&day=2026-12-25',
    backfills: 'schedules/default/hourly?tab=backfills', definition: 'schedules/default/greeter?tab=definition', runs: 'runs?skipped=too', 'runs-by-error': 'runs?group=error', run: `runs/${newest}`,
    timeline: 'timeline?span=900000', load: 'load', calendar: 'calendar', queues: 'queues', 'all-backfills': 'backfills', 'timeline-groups': 'timeline?group=queue', activity: 'activity', system: 'system', editor: 'edit/default/greeter', 'editor-several': 'edit/default/custom', nothing: 'nowhere',
  };
  for (const scheme of ['light', 'dark']) {
    await h.test(`every page is accessible, ${scheme}`, async () => {
      await page.emulateMedia({colorScheme: scheme, reducedMotion: 'reduce'});
      for (const [name, hash] of Object.entries(pages)) {
        await h.go(hash);
        await h.settled();
        await h.checkAccessibility(`${name}, ${scheme}`, page, scheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : null);
        if (h.pictures) await page.screenshot({path: `${h.pictures}/${name}-${scheme}.png`});
      }
    });
  }

  await h.test('every page fits 360 pixels', async () => {
    await page.setViewportSize({width: 360, height: 740});
    for (const [name, hash] of Object.entries(pages)) {
      await h.go(hash);
      await h.settled();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${name} is ${width} pixels wide`);
      if (['overview', 'schedules', 'run', 'editor', 'calendar'].includes(name)) await h.checkAccessibility(`${name}, narrow`);
      if (h.pictures) await page.screenshot({path: `${h.pictures}/${name}-360.png`});
    }
    await page.setViewportSize({width: 1440, height: 900});
  });

  await h.test('dialogs are accessible', async () => {
    for (const [hash, button] of [['schedules/default/greeter', 'Pause'], ['schedules/default/greeter', 'Backfill'], ['schedules/default/greeter', 'Delete']]) {
      await h.go(hash);
      await page.getByRole('button', {name: button, exact: true}).click();
      await page.getByRole('dialog').waitFor();
      await h.settled();
      await h.checkAccessibility(`${button}, dialog`);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({state: 'detached'});
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await h.checkAccessibility('help');
    await page.keyboard.press('Escape');
    await page.emulateMedia({colorScheme: 'light'});
  });
}
