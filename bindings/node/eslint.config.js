// eslint.config.js - what the compiler does not see: floating promises, stray any, dead code
import js from '@eslint/js'
import tseslint from 'typescript-eslint'

const nodeGlobals = Object.fromEntries(
  [
    'AbortController', 'AbortSignal', 'Buffer', 'TextDecoder', 'TextEncoder', 'URL', 'clearInterval', 'clearTimeout', 'console',
    'performance', 'process', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout', 'structuredClone',
  ].map((name) => [name, 'readonly']),
)

export default tseslint.config(
  { ignores: ['dist/', 'prebuilds/', 'coverage/', 'node_modules/', 'types-test/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: nodeGlobals },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      ecmaVersion: 2024,
      sourceType: 'commonjs',
      globals: { ...nodeGlobals, __dirname: 'readonly', exports: 'writable', module: 'writable', require: 'readonly' },
    },
  },
  {
    rules: {
      eqeqeq: ['error', 'always'],
      'no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['lib/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // What is not an Error has its reasons here: an aborted run rejects with whatever the caller gave as the reason.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
    },
  },
  {
    files: ['test/**/*.ts', 'tests/**/*.ts', '*.config.ts'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // Tests give what the types forbid, and lists with holes.
      '@typescript-eslint/no-explicit-any': 'off',
      'no-sparse-arrays': 'off',
    },
  },
)
