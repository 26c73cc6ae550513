// The built dashboard against a real server, in Debian's Chromium. Usage: node tests/browser.mjs CARILLON [PICTURES]
// Ends with 77 where there is no Chromium, no installed packages or no dashboard in the program: then nothing was tried.
import {faults} from './faults.mjs';
import {frame} from './frame.mjs';
import {Harness} from './harness.mjs';
import {looks} from './looks.mjs';
import {stories} from './stories.mjs';

const [binary, pictures] = process.argv.slice(2);
const harness = await Harness.open(binary, pictures);
await stories(harness);
await looks(harness);
await frame(harness);
await faults(harness);
await harness.close();
