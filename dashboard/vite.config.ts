import {svelte} from '@sveltejs/vite-plugin-svelte';
import {defineConfig} from 'vitest/config';

// The built files go into the program; build/ is not kept in the repository. Addresses are relative, so that the
// dashboard works below any path.
export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../build/dashboard/site',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
  },
  server: {proxy: {'/api': 'http://127.0.0.1:7070', '/version': 'http://127.0.0.1:7070'}},
  test: {include: ['src/**/*.test.ts']},
});
