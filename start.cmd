@echo off
rem A double click on Windows runs this: it installs the packages once, and starts the service. start.command is for macOS.
setlocal
cd /d "%~dp0"
where npm >nul 2>nul
if errorlevel 1 (
  echo Install Node.js 24 from https://nodejs.org first, then open this file again.
  pause
  exit /b 1
)
if not exist node_modules\commander call npm ci
if exist node_modules\commander call npm start
rem The window stays open, so that an error can be read.
pause
