import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/package/**"],
    globalSetup: ["test/build.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
